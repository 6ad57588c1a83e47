import { useState } from 'react';
import { FindPeopleDocument } from '../../gql/instance/people.js';
import type { FindPeopleQuery } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Combobox, type ComboboxItem } from '../../ui/combobox.js';
import { useLater } from '../servers/person-field.js';
import { nameOf } from '../teams/person.js';

interface PersonSearchProps {
  label: string;
  hint?: string;
  fault?: string | undefined;
  /** Text at first, such as an id. */
  initial?: string;
  /** Called with undefined if the text no longer matches the choice. */
  onPick: (id: string | undefined) => void;
}

/** Finds a person among all people of the instance. */
export function PersonSearch({ label, hint, fault, initial = '', onPick }: PersonSearchProps) {
  const [text, setText] = useState(initial);
  const wanted = text.trim();
  const search = useLater(wanted, 200);
  const { data, fetching } = useQuery({ query: FindPeopleDocument, variables: { search }, pause: search === '' });
  const people = search === '' ? [] : (data?.instance.people.edges ?? []);
  return (
    <Combobox
      label={label}
      hint={hint}
      fault={fault}
      isAwaited={wanted !== search || fetching}
      text={text}
      items={people.map(({ node }) => itemOf(node))}
      placeholder="Username, email address or ID"
      none={search === '' ? 'Type a username, email address or ID.' : 'No matches.'}
      onText={(typed) => {
        setText(typed);
        onPick(undefined);
      }}
      onPick={({ key, text: name }) => {
        setText(name);
        onPick(key);
      }}
    />
  );
}

type Found = FindPeopleQuery['instance']['people']['edges'][number]['node'];

function itemOf({ id, email, user }: Found): ComboboxItem {
  const name = nameOf(user);
  return { key: id, text: user.username, note: name === user.username ? email : `${name}, ${email}` };
}
