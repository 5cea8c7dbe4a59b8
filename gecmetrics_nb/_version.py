"The version, as in settings.ini"
__version__ = "0.1.0"
