// Finds all text for people: comments, documents, test titles, and strings of the source.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Comment, type Expression, type Node, type Program, parseSync, Visitor } from 'oxc-parser';

export interface Text {
  kind: 'comment' | 'document' | 'title' | 'string';
  file: string;
  line: number;
  text: string;
}

const SOURCE = /^(src|portal|bench|scripts|test|examples)\/.*\.(ts|tsx|mjs|js|cjs)$/;
const GENERATED = /\/(generated|gql)\//;
const DOCUMENT = /\.md$/;
const SCHEMA = 'prisma/schema.prisma';

/** Tracked files with text, as paths from the root of the repository. */
export function trackedFiles(): string[] {
  return execFileSync('git', ['ls-files'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => (SOURCE.test(file) && !GENERATED.test(file)) || DOCUMENT.test(file) || file === SCHEMA);
}

export function textsIn(file: string): Text[] {
  const content = readFileSync(file, 'utf8');
  if (file === SCHEMA) return textsOfSchema(file, content);
  return DOCUMENT.test(file) ? paragraphsOf(file, content) : textsOfSource(file, content);
}

export function textsOfSource(file: string, content: string): Text[] {
  const { program, comments } = parseSync(file, content);
  const lineAt = lineCounter(content);
  const strings = file.startsWith('test/') ? titlesIn(program) : stringsIn(program);
  return [
    ...textsOfComments(file, content, comments, lineAt),
    ...strings.map(({ kind, start, text }) => ({ kind, file, line: lineAt(start), text })),
  ];
}

function textsOfComments(
  file: string,
  content: string,
  comments: readonly Comment[],
  lineAt: (offset: number) => number,
): Text[] {
  return commentBlocks(content, comments).flatMap(({ start, value }) => commentParagraphs(file, lineAt(start), value));
}

/** Prisma has line comments with two or three slashes. Strings are matched too, because they may contain slashes. */
export function textsOfSchema(file: string, content: string): Text[] {
  const comments = [...content.matchAll(/"(?:[^"\\\n]|\\.)*"|\/\/\/?(.*)/g)].flatMap(
    ({ 0: match, 1: value, index }): Comment[] =>
      value === undefined ? [] : [{ type: 'Line', value, start: index, end: index + match.length }],
  );
  return textsOfComments(file, content, comments, lineCounter(content));
}

/** Consecutive line comments are one block. */
function commentBlocks(content: string, comments: readonly Comment[]): Comment[] {
  const blocks: Comment[] = [];
  let end = -1;
  for (const comment of comments) {
    const last = blocks.at(-1);
    const continues =
      comment.type === 'Line' && last?.type === 'Line' && /^\n[ \t]*$/.test(content.slice(end, comment.start));
    if (last && continues) last.value += `\n${comment.value}`;
    else blocks.push({ ...comment });
    end = comment.end;
  }
  return blocks;
}

const DIRECTIVE =
  /^\s*(biome-ignore|@ts-|eslint-|@vitest-|@type\b|@typedef|@import|v8 ignore|#__PURE__|[/!<]|prettier-ignore)/;

/** The paragraphs of a comment. Tags of a docstring and entries of a list are paragraphs. */
function commentParagraphs(file: string, line: number, value: string): Text[] {
  if (DIRECTIVE.test(value)) return [];
  const lines = value.split('\n').map((each) => each.replace(/^\s*\*? ?/, ''));
  return paragraphs(lines, line).map(({ line: at, text }) => ({
    kind: 'comment',
    file,
    line: at,
    text: withoutTag(text),
  }));
}

/** The text of a docstring's tag, without the tag, its type and the name of a parameter. */
function withoutTag(text: string): string {
  return text.replace(/^@(param|property)\s+(\{[^}]*\}\s+)?\S+\s*-?\s*|^@\w+\s*(\{[^}]*\}\s*)?/, '');
}

function paragraphsOf(file: string, content: string): Text[] {
  let isCode = false;
  const lines = content.split('\n').map((line) => {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode;
      return '';
    }
    return isCode || /^\s*<|^\s*\[[^\]]+\]:/.test(line) ? '' : line.replace(/^\s*>\s?/, '');
  });
  return paragraphs(lines, 1).map((paragraph) => ({ kind: 'document', file, ...paragraph }));
}

const BEGINS = /^\s*(@\w+|[-*+] |\d+[.)] |#{1,6} |\|)/;

function paragraphs(lines: string[], firstLine: number): Paragraph[] {
  const found: Paragraph[] = [];
  let open: Paragraph | null = null;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') open = null;
    else if (/^\s*\|/.test(line)) {
      open = null;
      if (!/^[\s|:-]+$/.test(line)) for (const cell of line.split('|')) add(found, firstLine + index, cell);
    } else if (open && !BEGINS.test(line)) open.text += ` ${line.trim()}`;
    else open = add(found, firstLine + index, line.replace(/^\s*([-*+] |\d+[.)] |#{1,6} )+/, ''));
  }
  return found.filter(({ text }) => /\p{L}/u.test(text));
}

type Paragraph = Pick<Text, 'line' | 'text'>;

function add(found: Paragraph[], line: number, text: string): Paragraph {
  const paragraph = { line, text: text.trim() };
  found.push(paragraph);
  return paragraph;
}

interface Found extends Pick<Text, 'kind' | 'text'> {
  start: number;
}

function titlesIn(program: Program): Found[] {
  const titles: Found[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (!first || !/^(describe|it|test)$/.test(rootOf(callee))) return;
      if (isEach(callee)) titles.push(...labelsIn(first));
      // A call completes the title, such as `needing(reason, 'the page')`.
      for (const part of first.type === 'CallExpression' ? first.arguments : [first]) {
        const text = textOf(part);
        if (text !== null) titles.push({ kind: 'title', start: part.start, text });
      }
    },
  }).visit(program);
  return titles;
}

function isEach(callee: Expression): boolean {
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'each';
}

/** Texts of two words or more that stand first in an entry of a table, since they complete the title of its test. */
function labelsIn(table: Node): Found[] {
  if (table.type !== 'ArrayExpression') return [];
  return table.elements.flatMap((entry) => {
    const label = entry?.type === 'ArrayExpression' ? entry.elements[0] : entry;
    const text = label ? textOf(label) : null;
    return label && text !== null && SENTENCE.test(text) ? [{ kind: 'title' as const, start: label.start, text }] : [];
  });
}

function rootOf(callee: Expression): string {
  switch (callee.type) {
    case 'Identifier':
      return callee.name;
    case 'MemberExpression':
      return rootOf(callee.object);
    case 'CallExpression':
      return rootOf(callee.callee);
    case 'TaggedTemplateExpression':
      return rootOf(callee.tag);
    default:
      return '';
  }
}

function textOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
  return null;
}

/** Two consecutive words, unlike a name, a path or a class. */
const SENTENCE = /[\p{L}’',]{2,}[,;:]? [\p{L}’'"“]+/u;
const NOT_PROSE =
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|DROP|WHERE|FROM|JOIN)\b|^\s*(query|mutation|subscription|fragment|\{)\b|[{}]\s*$|=>|<\/?\w/;

function stringsIn(program: Program): Found[] {
  const strings: Found[] = [];
  const take = (node: Node, text: string | null) => {
    if (text !== null && SENTENCE.test(text) && !NOT_PROSE.test(text)) {
      strings.push({ kind: 'string', start: node.start, text: text.replace(/\s+/g, ' ').trim() });
    }
  };
  const tagged = new Set<Node>();
  new Visitor({
    TaggedTemplateExpression: ({ quasi }) => void tagged.add(quasi),
    Literal: (node) => take(node, textOf(node)),
    TemplateLiteral: (node) => !tagged.has(node) && take(node, textOf(node)),
    JSXText: (node) => take(node, node.value),
  }).visit(program);
  return strings;
}

function lineCounter(content: string): (offset: number) => number {
  const starts = [0];
  for (let at = content.indexOf('\n'); at >= 0; at = content.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
