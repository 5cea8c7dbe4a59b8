"The command gecnb"
