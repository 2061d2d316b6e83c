"""Pages of a sealed exam: questions and scores for candidates, a leaderboard for all."""
