"""What maintainers run: the files that are written from the metric files."""
