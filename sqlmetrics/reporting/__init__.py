"""Charts, and the page of `report`."""
