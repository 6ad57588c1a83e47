import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { AutocompleteCommandDocument } from '../../../gql/servers/channel/commands.js';
import { Combobox } from '../../../ui/combobox.js';
import { Select, TextField } from '../../../ui/field.js';
import { problemIn, wholeTextOf } from '../../../ui/problems.js';
import { PersonField, useLater } from '../person-field.js';
import { useServer } from '../server.js';
import { useChannel } from './open-channel.js';
import { type CommandOption, choicesOf, type Given, type OptionChoice, type Runnable, sentOptions } from './options.js';

interface OptionFieldProps {
  option: CommandOption;
  runnable: Runnable;
  /** By option name. */
  given: Record<string, Given>;
  fault: string | undefined;
  onGive: (value: Given) => void;
}

export function OptionField(props: OptionFieldProps) {
  const { option, given, fault, onGive } = props;
  const notes = { label: option.name, hint: hintOf(option), fault };
  const value = given[option.name];
  const text = typeof value === 'string' ? value : '';
  const list = useListed(option);
  if (option.isCompleted) return <CompletedField {...props} />;
  if (list) return <ListField {...notes} list={list} value={text} onGive={onGive} />;
  switch (option.kind) {
    case 'user':
    case 'mentionable':
      return <PersonField {...notes} withRoles={option.kind === 'mentionable'} onPick={onGive} />;
    case 'file':
      return <TextField {...notes} type="file" onChange={({ target }) => onGive(target.files?.[0])} />;
    default:
      return (
        <TextField
          {...notes}
          inputMode={option.kind === 'text' ? 'text' : 'decimal'}
          autoComplete="off"
          maxLength={option.maxLength}
          value={text}
          onChange={({ target }) => onGive(target.value)}
        />
      );
  }
}

function hintOf({ description, isRequired }: CommandOption): string {
  return isRequired ? description : `${description} (optional)`;
}

/** Returns null if the option has no fixed list. */
function useListed({ kind, choices, channelTypes }: CommandOption): OptionChoice[] | null {
  const { id: guildId, channels, roles } = useServer();
  if (choices.length > 0) return choices;
  if (kind === 'yes-no') return YES_NO;
  if (kind === 'role') return roles.map(({ id, name }) => ({ value: id, name: id === guildId ? '@everyone' : name }));
  if (kind !== 'channel') return null;
  const isTaken = (type: number) => channelTypes.length === 0 || channelTypes.includes(type);
  return channels.filter(({ type }) => isTaken(type)).map(({ id, name }) => ({ value: id, name: `#${name}` }));
}

const YES_NO: OptionChoice[] = [
  { name: 'Yes', value: 'true' },
  { name: 'No', value: 'false' },
];

interface ListFieldProps {
  label: string;
  hint: string;
  fault: string | undefined;
  list: OptionChoice[];
  value: string;
  onGive: (value: Given) => void;
}

function ListField({ list, value, onGive, ...notes }: ListFieldProps) {
  return (
    <Select {...notes} value={value} onChange={({ target }) => onGive(target.value)}>
      <option value="">–</option>
      {list.map(({ name, value }) => (
        <option key={String(value)} value={value}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function CompletedField({ option, runnable, given, fault, onGive }: OptionFieldProps) {
  const [text, setText] = useState('');
  const [offered, setOffered] = useState<Offered | null>(null);
  const asked = useLater(text, 250);
  const ask = useAsk(runnable, given, option.name);
  useEffect(() => {
    let isWanted = true;
    void ask(asked).then((answer) => isWanted && setOffered(answer));
    return () => {
      isWanted = false;
    };
  }, [asked]);
  return (
    <Combobox
      label={option.name}
      hint={hintOf(option)}
      fault={fault}
      text={text}
      isAwaited={offered?.typed !== text}
      items={(offered?.choices ?? []).map(({ name, value }) => ({ key: String(value), text: name }))}
      none={offered ? (offered.refusal ?? 'The application has no suggestions.') : 'Loading…'}
      onText={(typed) => {
        setText(typed);
        onGive(typed);
      }}
      onPick={({ key, text }) => {
        setText(text);
        onGive(key);
      }}
    />
  );
}

interface Offered {
  /** The text that the choices belong to. */
  typed: string;
  choices: OptionChoice[];
  refusal: string | undefined;
}

function useAsk(runnable: Runnable, given: Record<string, Given>, focused: string) {
  const client = useClient();
  const { id: channelId } = useChannel();
  return async (typed: string): Promise<Offered> => {
    const { options } = sentOptions(runnable, { ...given, [focused]: typed }, focused);
    const input = { channelId, ...runnable.invoked, options };
    const { data, error } = await client.mutation(AutocompleteCommandDocument, { input }).toPromise();
    const refusal = error && `Could not load suggestions: ${wholeTextOf(problemIn(error))}`;
    return { typed, choices: choicesOf(data?.autocompleteCommand.choices), refusal };
  };
}
