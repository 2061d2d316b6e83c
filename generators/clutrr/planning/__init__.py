"""Story plans: people, facts and queries, before anything is put into words."""
