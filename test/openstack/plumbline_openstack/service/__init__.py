"""What runs with the unpacked packages on its path: the services themselves, and the making of their databases."""
