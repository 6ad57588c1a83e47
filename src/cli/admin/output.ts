import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { AdminOptions } from './connection.js';

/** A page of a list, as GraphQL returns it. */
export interface Connection<Row> {
  edges: { node: Row }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';

export interface PageOptions extends AdminOptions {
  limit: number;
  after?: string;
}

const MAX_PAGE = 100;

export function withLimit(command: Command): Command {
  return command.option('--limit <count>', `entries to show, 1 to ${MAX_PAGE}`, pageSizeOf, 50);
}

export function withPage(command: Command): Command {
  return withLimit(command).option('--after <cursor>', 'show entries after this one, as the end of a page names it');
}

/** @throws {InvalidArgumentError} */
function pageSizeOf(text: string): number {
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_PAGE) return size;
  throw new InvalidArgumentError(`Write a number from 1 to ${MAX_PAGE}.`);
}

type Cell = string | number | boolean | null | undefined;

/** By title. */
export type Columns<Row> = Record<string, (row: Row) => Cell>;

/** Prints the value of a GraphQL field as JSON, or else the text. */
export function print({ json }: AdminOptions, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : text}\n`);
}

export function printPage<Row>(options: AdminOptions, page: Connection<Row>, columns: Columns<Row>): void {
  const rows = page.edges.map(({ node }) => node);
  print(options, page, table(rows, columns));
  const { hasNextPage, endCursor } = page.pageInfo;
  if (hasNextPage && !options.json) process.stderr.write(`There are more: pass --after ${endCursor}\n`);
}

export function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  if (rows.length === 0) return 'None.';
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => textOf(cell(row))))];
  const widths = Object.keys(columns).map((_title, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One fact a line. Leaves out those without a value. */
export function details(facts: Record<string, Cell>): string {
  const shown = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `${label.padEnd(width)}  ${textOf(value)}`).join('\n');
}

/** Users choose names, which must not control the terminal. */
function textOf(value: Cell): string {
  if (value === null || value === undefined || value === '') return '–';
  return clean(String(value));
}

/** Without control characters. */
export function clean(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
}

/** Date and minute. */
export function time(at: string | null): string | null {
  return at && `${at.slice(0, 16).replace('T', ' ')} UTC`;
}
