import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = join(import.meta.dirname, '../src');

/** Names of the files and folders in a folder of `src`, without extensions. */
const namesIn = (room: string) =>
  readdirSync(join(src, room), { withFileTypes: true }).map(({ name }) => name.replace(/\.ts$/, ''));

const nouns = readdirSync(join(src, 'domain'), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

describe('a noun has one name, which is a plural', () => {
  it.each(['wire', 'wire/events', 'schema', 'rest-compat/routes'])('in %s', (room) => {
    expect(namesIn(room).filter((name) => nouns.includes(`${name}s`))).toEqual([]);
  });

  it('with an index.ts for its importers', () => {
    const without = nouns.filter((noun) => !namesIn(`domain/${noun}`).includes('index'));
    expect(without).toEqual([]);
  });
});

it('only wire/time.ts formats times for the wire', () => {
  const files = readdirSync(join(src, 'wire'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const making = files.filter((name) => readFileSync(join(src, 'wire', name), 'utf8').includes('toISOString'));
  expect(making).toEqual(['time.ts']);
});

describe('tests mirror the source', () => {
  it('in folders of the same names', () => {
    const rooms = ['harness', 'containers', 'fixtures', 'conversation', 'scripts', 'bench', ...namesIn('.')];
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !rooms.includes(name))).toEqual([]);
  });

  it('and in the domain in folders of its nouns', () => {
    const folders = readdirSync(join(import.meta.dirname, 'domain'), { withFileTypes: true });
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(names.filter((name) => !nouns.includes(name))).toEqual([]);
  });
});
