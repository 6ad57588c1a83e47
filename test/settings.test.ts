import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTING_NAMES } from '../src/config.js';
import { configurationPage, SETTING_GROUPS } from '../src/settings.js';

test('the reference of settings names every setting once', () => {
  const named = SETTING_GROUPS.flatMap(({ settings }) => Object.keys(settings));
  expect(named.toSorted()).toEqual(SETTING_NAMES.toSorted());
});

test('docs/configuration.md is up to date (npm run configuration)', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationPage());
});
