"""How special messages look in the surface: painted faces, and real widgets for the one that is being used."""
