import { useNavigate } from '@tanstack/react-router';
import { SwitcherDocument } from '../gql/switcher.js';
import type { SwitcherQuery } from '../gql/types.js';
import { useMe } from '../me.js';
import { useQuery } from '../query.js';
import { Combobox, type ComboboxItem } from '../ui/combobox.js';
import { OpenDialog } from '../ui/dialog.js';

const MOST = 30;

interface SwitcherProps {
  text: string;
  setText: (text: string) => void;
  /** Whether Enter was pressed before the field had the focus. */
  isEntered: boolean;
  /** Called once the field handles keys itself. */
  onFocus: () => void;
  onClose: () => void;
}

export default function Switcher({ text, setText, isEntered, onFocus, onClose }: SwitcherProps) {
  const { data, fetching } = useQuery({ query: SwitcherDocument });
  const isOperator = useMe()?.operatorRole != null;
  const navigate = useNavigate();
  const go = ({ key }: ComboboxItem) => {
    onClose();
    void navigate({ href: `/portal${key}` });
  };
  return (
    <OpenDialog title="Go to" onClose={onClose} isPassing>
      <Combobox
        label="Application, team, server, box or page"
        text={text}
        isAwaited={!data && fetching}
        isEntered={isEntered}
        items={fitting([...itemsOf(data?.portalHome), ...(isOperator ? [INSTANCE] : [])], text)}
        none="No matches."
        onFocus={onFocus}
        onText={setText}
        onPick={go}
        onLeave={onClose}
      />
    </OpenDialog>
  );
}

/** Keys are paths. */
const PAGES: ComboboxItem[] = [
  { key: '', text: 'Home', note: 'page' },
  { key: '/applications', text: 'Applications', note: 'page' },
  { key: '/teams', text: 'Teams', note: 'page' },
  { key: '/servers', text: 'Servers', note: 'page' },
  { key: '/boxes', text: 'Boxes', note: 'page' },
  { key: '/account', text: 'Account', note: 'page' },
];

const INSTANCE: ComboboxItem = { key: '/instance', text: 'Instance', note: 'page' };

function itemsOf(home: SwitcherQuery['portalHome'] | undefined): ComboboxItem[] {
  const those = (list: readonly { id: string; name: string }[] = [], path: string, note: string) =>
    list.map(({ id, name }) => ({ key: `/${path}/${id}`, text: name, note }));
  return [
    ...those(home?.applications, 'applications', 'application'),
    ...those(home?.teams, 'teams', 'team'),
    ...those(home?.guilds, 'servers', 'server'),
    ...those(home?.boxes, 'boxes', 'box'),
    ...PAGES,
  ];
}

/** Prefix matches first. */
function fitting(items: ComboboxItem[], text: string): ComboboxItem[] {
  const wanted = text.trim().toLowerCase();
  const placeIn = (item: ComboboxItem) => item.text.toLowerCase().indexOf(wanted);
  const found = items.filter((item) => placeIn(item) >= 0);
  return [...found.filter((item) => placeIn(item) === 0), ...found.filter((item) => placeIn(item) > 0)].slice(0, MOST);
}
