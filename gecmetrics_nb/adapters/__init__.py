"The interfaces of other libraries"
