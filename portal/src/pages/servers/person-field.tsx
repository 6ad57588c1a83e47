import { useEffect, useState } from 'react';
import { FindMembersDocument } from '../../gql/servers/channel/commands.js';
import { useQuery } from '../../query.js';
import { Combobox, type ComboboxItem } from '../../ui/combobox.js';
import { useServer } from './server.js';

interface PersonFieldProps {
  label: string;
  hint?: string | undefined;
  fault?: string | undefined;
  /** Name of the initial choice. */
  picked?: string | undefined;
  withRoles?: boolean;
  isMany?: boolean;
  isOff?: boolean | undefined;
  /** Called with undefined when the text no longer matches the choice, unless `isMany` is set. */
  onPick: (id: string | undefined, name: string) => void;
}

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
      none={search === '' ? 'Type the beginning of a name.' : 'No matches.'}
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

/** Debounces a text. */
export function useLater(text: string, ms: number): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return later;
}
