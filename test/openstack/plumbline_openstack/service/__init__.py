"""Code that runs with the unpacked packages on its path: the services, and the creation of their databases."""
