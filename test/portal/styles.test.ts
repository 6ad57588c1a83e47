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

function selectorsIn(css: string): string[] {
  return [...css.matchAll(/([^{};]+)\{/g)]
    .map(([, selector = '']) => selector.trim())
    .filter((selector) => !selector.startsWith('@') && !/^(from|to|\d)/.test(selector))
    .flatMap((selector) => withJoinedArguments(selector).split(','))
    .map((selector) => selector.trim());
}

/** Turns `li:is(.new, .old)` into `li:is[.new|.old]`, so that the remaining commas and spaces separate selectors and their parts. */
function withJoinedArguments(selector: string): string {
  const joined = selector.replace(/\(([^()]*)\)/g, (_, inner: string) => `[${inner.replace(/[\s,>+~]+/g, '|')}]`);
  return joined === selector ? selector : withJoinedArguments(joined);
}

/** Classes in the first part of a selector, which decide where it applies. */
function classesOfBeginning(selector: string): string[] {
  const [beginning = ''] = selector.split(/[\s>+~]/);
  return [...beginning.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name);
}

function homesOf(name: string): string[] {
  return files
    .filter(({ selectors }) => selectors.some((one) => classesOfBeginning(one).includes(name)))
    .map((file) => file.name);
}

const pages = files.filter(({ name }) => !['look.css', 'tokens.css'].includes(name));

// Stylesheets of pages that were open before stay loaded, so they must not match anything elsewhere.
it.each(pages)('P-8: $name begins each selector with a class of its own', ({ name, selectors }) => {
  const strangers = selectors.filter(
    (selector) => !classesOfBeginning(selector).some((one) => homesOf(one).join() === name),
  );
  expect(selectors.length).toBeGreaterThan(0);
  expect(strangers).toEqual([]);
});
