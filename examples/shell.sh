# Functions for the commands in docs/tutorial.md, for sh, bash and zsh. Run `. examples/shell.sh` in every terminal first.
#
# ORIGIN is the origin of the platform. The default is http://localhost:4000. Kept variables are loaded again.

ORIGIN=${ORIGIN:-http://localhost:4000}
export API_URL="$ORIGIN/api"
if [ -f first-steps.env ]; then . ./first-steps.env; fi

# gql 'QUERY' [NAME=VALUE …]: sends an operation to /graphql with the session TOKEN. Each NAME is a string or ID variable of the query.
# It prints the response, stores it for `keep`, and fails if the response has errors.
gql() {
  ANSWER=$(
    node -p '
      const [, query, ...given] = process.argv;
      const variables = given.map((pair) => [pair.split("=", 1)[0], pair.slice(pair.indexOf("=") + 1)]);
      JSON.stringify({ query, variables: Object.fromEntries(variables) });
    ' "$@" | curl -sS "$ORIGIN/graphql" -H "authorization: Bearer ${TOKEN:-}" -H 'content-type: application/json' --data-binary @-
  )
  printf '%s\n' "$ANSWER"
  case $ANSWER in '' | *'"errors":['*) return 1 ;; esac
}

# keep NAME PATH: exports the value at PATH of the last response, such as data.createGuild.guild.id, as the variable NAME. It also writes
# it to first-steps.env for other terminals. Only you can read that file.
keep() {
  KEPT=$(node -e '
    const [, path, answer] = process.argv;
    try {
      const value = path.split(".").reduce((at, name) => at[name], JSON.parse(answer));
      if (!/^[\w.:/?=&%+-]+$/.test(value ?? "")) throw new Error();
      process.stdout.write(value);
    } catch {
      console.error(`There is no ${path} in the last answer: ${answer}`);
      process.exit(1);
    }
  ' "$2" "$ANSWER") || return 1
  export "$1=$KEPT"
  (umask 077 && printf "export %s='%s'\n" "$1" "$KEPT" >> first-steps.env)
}
