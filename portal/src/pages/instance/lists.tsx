import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CombinedError } from 'urql';
import type { ListSearch } from '../../routes/list-search.js';
import { Select, TextField } from '../../ui/field.js';
import { Listing, More } from '../../ui/listing.js';
import { useLater } from '../servers/person-field.js';

interface FilterProps {
  hint: string;
  search: ListSearch;
  onSearch: (search: ListSearch) => void;
  /** Whether the entries can be suspended. */
  hasStates?: boolean;
}

/** The filter is stored in the URL. */
export function Filter({ hint, search, onSearch, hasStates = false }: FilterProps) {
  const { only } = search;
  const [text, setText] = useSearchText(search.search ?? '', (wanted) =>
    onSearch({ search: wanted || undefined, only }),
  );
  return (
    <search className={hasStates ? 'instance-filter' : undefined}>
      <TextField
        label="Search"
        hint={hint}
        type="search"
        maxLength={100}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {hasStates && (
        <Select
          label="State"
          value={only ?? ''}
          onChange={({ target }) => onSearch({ ...search, only: onlyOf(target.value) })}
        >
          <option value="">All</option>
          <option value="suspended">Suspended</option>
          <option value="active">Not suspended</option>
        </Select>
      )}
    </search>
  );
}

function onlyOf(value: string): ListSearch['only'] {
  return value === 'suspended' || value === 'active' ? value : undefined;
}

/** The text of a field, which is reported after a pause, and replaced if `wanted` changes otherwise. */
function useSearchText(wanted: string, report: (text: string) => void): [text: string, set: (text: string) => void] {
  const [text, setText] = useState(wanted);
  const later = useLater(text.trim(), 250);
  const known = useRef(wanted);
  const latest = useRef(report);
  latest.current = report;
  useEffect(() => {
    if (wanted === known.current) return;
    known.current = wanted;
    setText(wanted);
  }, [wanted]);
  useEffect(() => {
    if (later === known.current) return;
    known.current = later;
    latest.current(later);
  }, [later]);
  return [text, setText];
}

/** Variables of a list's query. */
export function filterOf({ search, only }: ListSearch) {
  return { search: search ?? null, suspended: only === undefined ? null : only === 'suspended' };
}

interface NewestFirstProps<Row> {
  answer: { error?: CombinedError | undefined; again: () => void };
  /** In the order of the list, oldest first. Undefined while loading. */
  page: Page<Row> | undefined;
  empty: string;
  render: (row: Row) => ReactNode;
  /** @param before cursor of the next page */
  older: (before: string | null) => ReactNode;
}

interface Page<Row> {
  edges: readonly { node: Row }[];
  pageInfo: { hasPreviousPage: boolean; startCursor: string | null };
}

export function NewestFirst<Row>({ answer, page, empty, render, older }: NewestFirstProps<Row>) {
  return (
    <>
      <Listing
        shape="list"
        answer={answer}
        items={page?.edges.map(({ node }) => node).reverse()}
        empty={empty}
        render={render}
      />
      {page?.pageInfo.hasPreviousPage && <More>{older(page.pageInfo.startCursor)}</More>}
    </>
  );
}
