"""From a plan to its result: bind, check, tune, execute and shape; states and drift."""
