# Nothing but a global and a function, which refer to each other's dictionary: freed, and the file flushed.
file = open("/workspace/written", "w")
file.write("flushed")


class Noisy:
    def __del__(self):
        print("freed")


noisy = Noisy()
