class Distractors:
    def __init__(self, whitelist):
        pass
