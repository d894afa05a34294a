"""The command line as its parser knows it: commands, their options, and what an option may be."""

from infoprop.cli._main import build_parser

# To build it takes most of the time of a refusal.
PARSER = build_parser()
COMMANDS = next(action for action in PARSER._actions if action.dest == "command").choices


def parsed(*words):
    """The arguments of a command line."""
    return PARSER.parse_args([str(word) for word in words])


def options_of(command):
    """The actions of a command, without its help and what has no option."""
    return [
        action for action in COMMANDS[command]._actions if action.option_strings and action.dest != "help"
    ]


def choices(command, option):
    """What an option, or a word without one, may be."""
    actions = COMMANDS[command]._actions
    return tuple(next(a for a in actions if option in (*a.option_strings, a.dest)).choices)


METHODS = choices("classify", "--method")
CLASSIFIERS = choices("classify", "--classifier")
