"What the lessons alone use"
