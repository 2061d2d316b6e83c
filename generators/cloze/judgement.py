def judgement(g, e):
    return []
