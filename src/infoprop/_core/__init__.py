"""The ground floor: compilation, errors, parameter checks, types. Knows nothing of learning."""
