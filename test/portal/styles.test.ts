import { readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, it } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../../portal/src');
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => ({
    name: basename(path),
    selectors: selectorsIn(readFileSync(resolve(SOURCE, path), 'utf8')),
  }));

/** Every selector of a stylesheet, those of groups one by one. */
function selectorsIn(css: string): string[] {
  return [...css.matchAll(/([^{};]+)\{/g)]
    .map(([, selector = '']) => selector.trim())
    .filter((selector) => !selector.startsWith('@') && !/^(from|to|\d)/.test(selector))
    .flatMap((selector) => withJoinedArguments(selector).split(','))
    .map((selector) => selector.trim());
}

/** Such as `li:is[.new|.old]` of `li:is(.new, .old)`, so that commas and spaces are those between selectors and their parts. */
function withJoinedArguments(selector: string): string {
  const joined = selector.replace(/\(([^()]*)\)/g, (_, inner: string) => `[${inner.replace(/[\s,>+~]+/g, '|')}]`);
  return joined === selector ? selector : withJoinedArguments(joined);
}

/** The classes of the first part of a selector, by which it finds what it is for. */
function classesOfBeginning(selector: string): string[] {
  const [beginning = ''] = selector.split(/[\s>+~]/);
  return [...beginning.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name);
}

/** In which files a class begins selectors. */
function homesOf(name: string): string[] {
  return files
    .filter(({ selectors }) => selectors.some((one) => classesOfBeginning(one).includes(name)))
    .map((file) => file.name);
}

const pages = files.filter(({ name }) => !['look.css', 'tokens.css'].includes(name));

// Files of pages that were opened before stay loaded: what they say must reach nothing elsewhere.
it.each(pages)('P-8: $name speaks of what is its own', ({ name, selectors }) => {
  const strangers = selectors.filter(
    (selector) => !classesOfBeginning(selector).some((one) => homesOf(one).join() === name),
  );
  expect(selectors.length).toBeGreaterThan(0);
  expect(strangers).toEqual([]);
});
