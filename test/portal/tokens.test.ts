import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { STYLE } from '../../src/http/pages/style.js';

const TOKENS = readFileSync(resolve(import.meta.dirname, '../../portal/src/ui/tokens.css'), 'utf8');

function coloursIn(part: string): Record<string, string> {
  return Object.fromEntries([...part.matchAll(/(--[a-z-]+):\s*(#[0-9a-f]+)/g)].map(([, name, value]) => [name, value]));
}

const [light = '', dark = ''] = STYLE.split('@media (prefers-color-scheme: dark)');
const [lightPortal = '', chosenDark = '', systemDark = ''] = TOKENS.split(
  /\[data-theme="dark"\]|@media \(prefers-color-scheme: dark\)/,
);

it.each([
  ['light', light, lightPortal],
  ['dark', dark, systemDark],
  ['dark where it is chosen', dark, chosenDark],
])('the portal and the consent screen have the same colours: %s', (_theme, screen, portal) => {
  const colours = coloursIn(screen.split('* { box-sizing')[0] ?? '');
  expect(Object.keys(colours).length).toBeGreaterThan(10);
  expect(coloursIn(portal)).toEqual(colours);
});
