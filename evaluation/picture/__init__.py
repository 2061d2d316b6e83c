"""One page about models, made from the logs of several programs."""
