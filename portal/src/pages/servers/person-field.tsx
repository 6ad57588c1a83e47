import { useEffect, useState } from 'react';
import { FindMembersDocument } from '../../gql/servers/commands.js';
import { useQuery } from '../../query.js';
import { Combobox, type ComboboxItem } from '../../ui/combobox.js';
import { useServer } from './server.js';

interface PersonFieldProps {
  label: string;
  hint?: string | undefined;
  fault?: string | undefined;
  /** What somebody is called who is picked from the start. */
  picked?: string | undefined;
  /** Whether roles are offered as well. */
  withRoles?: boolean;
  /** Whether several are picked, one after the other. */
  isMany?: boolean;
  isOff?: boolean | undefined;
  /** With undefined once what is typed is nobody's name any more, unless several are picked. */
  onPick: (id: string | undefined, name: string) => void;
}

/** Finds a member of the server by the beginning of a name. */
export function PersonField(props: PersonFieldProps) {
  const { label, hint, fault, picked = '', withRoles = false, isMany, isOff, onPick } = props;
  const { id: guildId } = useServer();
  const [text, setText] = useState(picked);
  const wanted = text.replace(/^@/, '');
  const search = useLater(wanted, 200);
  const { data, fetching } = useQuery({
    query: FindMembersDocument,
    variables: { id: guildId, search },
    pause: search === '',
  });
  const roles = useRoles(withRoles ? search : null);
  const people: ComboboxItem[] =
    search === '' ? [] : (data?.guild?.members.edges ?? []).map(({ node }) => itemOf(node));
  return (
    <Combobox
      label={label}
      hint={hint}
      fault={fault}
      isOff={isOff}
      isAwaited={wanted !== search || fetching}
      text={text}
      items={[...people, ...roles]}
      placeholder="Type the beginning of a name"
      none={search === '' ? 'Type the beginning of a name.' : 'Nobody is called so.'}
      onText={(typed) => {
        setText(typed);
        if (!isMany) onPick(undefined, typed);
      }}
      onPick={(item) => {
        setText(isMany ? '' : item.text);
        onPick(item.key, item.text);
      }}
    />
  );
}

interface Found {
  nick: string | null;
  user: { id: string; username: string; globalName: string | null; bot: boolean };
}

function itemOf({ nick, user }: Found): ComboboxItem {
  const shown = nick ?? user.globalName;
  return { key: user.id, text: user.username, note: user.bot ? 'bot' : (shown ?? undefined) };
}

function useRoles(search: string | null): ComboboxItem[] {
  const { id: guildId, roles } = useServer();
  if (search === null) return [];
  const fits = roles.filter(({ id, name }) => id !== guildId && name.toLowerCase().startsWith(search.toLowerCase()));
  return fits.map(({ id, name }) => ({ key: id, text: name, note: 'role' }));
}

/** A text as it is once it was left alone for so long, in milliseconds. */
export function useLater(text: string, ms: number): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return later;
}
