import { useMemo, useState } from 'react';
import { RunnableCommandsDocument } from '../../../gql/servers/channel/commands.js';
import type { InteractionShownFragment } from '../../../gql/types.js';
import { useQuery } from '../../../query.js';
import { Combobox } from '../../../ui/combobox.js';
import { CommandForm } from './command-form.js';
import { useChannel } from './open-channel.js';
import { type Runnable, runnablesOf } from './options.js';

export interface CommandPickerProps {
  /** Start of the name, with the slash. */
  begun: string;
  /** Whether Enter was pressed after it. */
  isEntered: boolean;
  /** False if the user has moved to another field. */
  isFirst: boolean;
  follow: (interaction: InteractionShownFragment) => void;
  onLeave: () => void;
}

const LISTED = 25;

export default function CommandPicker({ begun, isEntered, isFirst, follow, onLeave }: CommandPickerProps) {
  const { id: channelId } = useChannel();
  const [text, setText] = useState(begun);
  const [picked, setPicked] = useState<Runnable | null>(null);
  const { data, fetching, again } = useQuery({ query: RunnableCommandsDocument, variables: { channelId } });
  const runnables = useMemo(() => (data ? runnablesOf(data) : []), [data]);
  const current = picked && (runnables.find(({ key }) => key === picked.key) ?? picked);
  if (current) {
    return <CommandForm runnable={current} askAgain={again} {...{ follow, onLeave }} />;
  }
  return (
    <div className="picker">
      <Combobox
        label="Command"
        hint="Use the arrow keys and Enter to select a command. Press Escape to return to your message."
        isFirst={isFirst}
        isAwaited={!data && fetching}
        isEntered={isEntered && text === begun}
        text={text}
        items={fitting(runnables, text)}
        none={fetching ? 'Loading…' : 'No matching commands that you can run here.'}
        onText={(typed) => (typed === '' ? onLeave() : setText(typed))}
        onPick={({ runnable }) => setPicked(runnable)}
        onLeave={onLeave}
      />
      <button type="button" className="plain small" onClick={onLeave}>
        Back to message
      </button>
    </div>
  );
}

/** Prefix matches first. */
function fitting(runnables: Runnable[], text: string) {
  const typed = text.replace(/^\//, '').trimStart().toLowerCase();
  const beginning = runnables.filter(({ name }) => name.startsWith(typed));
  const holding = runnables.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  return [...beginning, ...holding].slice(0, LISTED).map((runnable) => ({
    key: runnable.key,
    text: `/${runnable.name}`,
    note: `${runnable.description} · ${runnable.source}`,
    runnable,
  }));
}
