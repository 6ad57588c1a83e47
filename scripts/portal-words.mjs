// Generates the portal's names of scopes and permissions, which are those of the authorization screen.
import { ALL_PERMISSIONS, Permission } from '../dist/domain/permissions.js';
import { namedPermissions, SCOPE_TEXTS } from '../dist/oauth/screen/words.js';

/** Names by bit. If a bit has two names, the later one counts. */
const NAMES = new Map(Object.entries(Permission).map(([name, bit]) => [bit, name]));

/** @returns the text of portal/src/gql/words.ts, without its first line */
export function portalWords() {
  const scopes = Object.entries(SCOPE_TEXTS).map(([name, texts]) => ({ name, ...texts }));
  const permissions = namedPermissions(ALL_PERMISSIONS).map(({ bit, text }) => ({
    name: NAMES.get(bit),
    bit: String(bit),
    words: text,
  }));
  return [
    list('Each scope, with its title and a description.', 'SCOPES', scopes),
    list('Every permission, most powerful first. Its bit is a decimal number.', 'PERMISSIONS', permissions),
  ].join('\n');
}

function list(what, name, rows) {
  const lines = rows.map((row) => `  ${JSON.stringify(row)},`);
  return `/** ${what} */\nexport const ${name} = [\n${lines.join('\n')}\n] as const;\n`;
}
