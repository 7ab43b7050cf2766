#!/usr/bin/env bash
# Makes .venv with what the default tier, the tests and the checks need.
#
#     PYTHON=python3.12 tools/venv.sh .venv/made
#
# Touches the given stamp when all is there. Says in one line what is wrong when it cannot.
set -euo pipefail

stamp=$1
cd "$(dirname "$0")/.."

fail() {
    echo "$*" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

# The Python asked for; else the first of the usual names that is new enough.
choose_python() {
    if [ -n "${PYTHON:-}" ] && [ "$PYTHON" != python3 ]; then
        is_new_enough "$PYTHON" || fail "$PYTHON is not there, or not Python 3.11 or newer; set PYTHON to one"
        echo "$PYTHON"
        return
    fi
    for name in python3 python3.13 python3.12 python3.11 python3.14 python; do
        if is_new_enough "$name"; then
            echo "$name"
            return
        fi
    done
    fail "visavis needs Python 3.11 or newer; install one, or name it: make PYTHON=/path/to/python3.12"
}

# One line that tells how far pip is; nothing when nobody looks.
show_progress() {
    if [ -t 1 ]; then
        awk '/^(Collecting|Downloading|Building|Installing)/ {
                 printf "\r\033[K  %.70s", $0; fflush()
             } END { printf "\r\033[K" }'
    else
        cat >/dev/null
    fi
}

python=$(choose_python)
if ! is_new_enough .venv/bin/python; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "$python cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv"
    "$python" -m venv --clear .venv
fi

echo "Installing into .venv ($(.venv/bin/python --version)); the first time takes a minute or more ..."
log=.venv/install.log
.venv/bin/python -m pip install --disable-pip-version-check --progress-bar off \
    -e '.[local,eyes,device,bench,dev]' 2>&1 | tee "$log" | show_progress || {
    grep -E '^ *ERROR' "$log" >&2 || tail -n 20 "$log" >&2
    fail "could not install what pyproject.toml names; the whole story is in $log"
}
rm -f "$(dirname "$stamp")"/made-*
touch "$stamp"
