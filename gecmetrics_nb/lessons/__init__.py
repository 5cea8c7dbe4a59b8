"What the lessons alone use: in the repository, and not in the wheel (setup.py)"
