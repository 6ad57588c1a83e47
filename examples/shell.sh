# What the lines of docs/tutorial.md use, for sh, bash and zsh: `. examples/shell.sh`, in every terminal where they are pasted.
#
# ORIGIN is where the platform is; set it before where that is not http://localhost:4000. What was kept before is known again.

ORIGIN=${ORIGIN:-http://localhost:4000}
export API_URL="$ORIGIN/api"
if [ -f first-steps.env ]; then . ./first-steps.env; fi

# gql 'QUERY' [NAME=VALUE …]: asks /graphql as the person whose session TOKEN is. Each NAME is a variable of the query, a text or an id.
# Prints the answer, remembers it for `keep`, and fails where it holds errors.
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

# keep NAME PATH: takes what stands at PATH in the last ANSWER, such as data.createGuild.guild.id, into the variable NAME, also for
# programs started here, and for other terminals into first-steps.env, which only you may read.
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
