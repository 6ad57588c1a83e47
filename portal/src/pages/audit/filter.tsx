import type { PersonFragment } from '../../gql/types.js';
import type { LogSearch } from '../../routes/log-search.js';
import { Select } from '../../ui/field.js';
import { PersonSearch } from '../instance/person-search.js';
import { nameOf } from '../teams/person.js';
import type { Group, Language } from './language.js';

interface LogFilterProps {
  language: Language;
  people: readonly PersonFragment[];
  search: LogSearch;
  onSearch: (search: LogSearch) => void;
  /** Whether any person of the instance can be searched, instead of a choice among `people`. */
  findsAnyone?: boolean;
}

/** The filter is stored in the URL. */
export function LogFilter({ language: { groups, words }, people, search, onSearch, findsAnyone }: LogFilterProps) {
  const { what = '', who = '' } = search;
  const look = (next: { what: string; who: string }) =>
    onSearch({ ...(next.what === '' ? {} : { what: next.what }), ...(next.who === '' ? {} : { who: next.who }) });
  return (
    <search className="filter">
      <Select label="Action" value={what} onChange={({ target }) => look({ what: target.value, who })}>
        <option value="">All actions</option>
        {groups.map((group) => (
          <ActionOptions key={group.key} group={group} words={words} />
        ))}
      </Select>
      {findsAnyone ? (
        <PersonSearch label="User" initial={who} onPick={(id = '') => id !== who && look({ what, who: id })} />
      ) : (
        <Select label="User" value={who} onChange={({ target }) => look({ what, who: target.value })}>
          <option value="">All users</option>
          {people.map((person) => (
            <option key={person.id} value={person.id}>
              {nameOf(person)}
            </option>
          ))}
          {who !== '' && !people.some(({ id }) => id === who) && <option value={who}>{who}</option>}
        </Select>
      )}
    </search>
  );
}

function ActionOptions({ group: { key, text, actions }, words }: { group: Group; words: Language['words'] }) {
  return (
    <optgroup label={text}>
      <option value={key}>{text}: all</option>
      {actions.map((action) => (
        <option key={action} value={action}>
          {words[action]}
        </option>
      ))}
    </optgroup>
  );
}
