"""People's judgements: projects, who is given what, their answers, and the pages for it."""
