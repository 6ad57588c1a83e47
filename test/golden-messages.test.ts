import { readFileSync } from 'node:fs';
import { type Node, parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { trackedFiles } from '../scripts/prose/texts.js';

/** The source whose strings REST and gateway clients can receive. */
const SOURCE = /^src\/(accounts|domain|gateway|http|oauth|relay|rest-compat|wire)\//;
const LOGGING = /^(trace|debug|info|warn|error|fatal)$/;

const STYLES = /^[^{}]*\{[^{}]*\}\s*$|:root|@media/;

/** Strings of two words or more, except those that are logged, thrown as a plain `Error`, tagged, or styles. */
function messagesIn(file: string): string[] {
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  const internal = new Set<Node>();
  const messages: string[] = [];
  const take = (node: Node, text: string) => {
    if (!internal.has(node) && !STYLES.test(text) && /\p{L}[\p{L}’',;:.)]*\s+\S*\p{L}/u.test(text)) messages.push(text);
  };
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      const isLogged =
        callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        LOGGING.test(callee.property.name);
      if (isLogged) for (const argument of given) internal.add(argument);
    },
    NewExpression({ callee, arguments: given }) {
      if (callee.type === 'Identifier' && callee.name === 'Error') for (const argument of given) internal.add(argument);
    },
    TaggedTemplateExpression: ({ quasi }) => void internal.add(quasi),
    Literal: (node) => typeof node.value === 'string' && take(node, node.value),
    TemplateLiteral: (node) => take(node, node.quasis.map(({ value }) => value.cooked).join('…')),
  }).visit(program);
  return messages;
}

test('clients receive the messages they always did: a change is reviewed with `npx vitest run test/golden-messages.test.ts -u`', async () => {
  const files = trackedFiles().filter((file) => SOURCE.test(file));
  const messages = new Set(files.flatMap(messagesIn));
  expect(messages.size).toBeGreaterThan(500);
  await expect([...messages].toSorted().join('\n')).toMatchFileSnapshot('golden-messages.txt');
});
