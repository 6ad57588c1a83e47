// What the portal's pages call scopes, permissions and roles: in the words of the authorization screen and by the tables of the domain.
import { ALL_PERMISSIONS, Permission } from '../dist/domain/permissions.js';
import { APPLICATION_PERMISSIONS } from '../dist/domain/portal-permissions.js';
import { namedPermissions, SCOPE_TEXTS } from '../dist/oauth/screen/words.js';

/** Each bit by its name; of two names for one bit, the later. */
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
    list('What a scope lets an application do, and what that means.', 'SCOPES', scopes),
    list(
      'Every permission, the gravest and most general first; its bit is a decimal number.',
      'PERMISSIONS',
      permissions,
    ),
    constant(
      'The least role that may do it with an application.',
      'APPLICATION_ROLES',
      leastRoles(APPLICATION_PERMISSIONS),
    ),
  ].join('\n');
}

function list(what, name, rows) {
  const lines = rows.map((row) => `  ${JSON.stringify(row)},`);
  return `/** ${what} */\nexport const ${name} = [\n${lines.join('\n')}\n] as const;\n`;
}

function constant(what, name, value) {
  return `/** ${what} */\nexport const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`;
}

/** By the names of GraphQL's enums, such as UPDATE_SETTINGS; roles in words. */
function leastRoles(table) {
  const rows = Object.entries(table).map(([operation, roles]) => [operationName(operation), roleName(roles.at(-1))]);
  return Object.fromEntries(rows);
}

function operationName(operation) {
  return operation.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

function roleName(role) {
  return role.toLowerCase().replace('_', '-');
}
