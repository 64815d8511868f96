"""Register metric files, write a first version of one, and describe metrics."""
