import { UseComponentDocument } from '../../../gql/servers/channel/commands.js';
import type { InteractionShownFragment } from '../../../gql/types.js';
import { useAction } from '../../../ui/action.js';
import type { Part, SelectPart } from './components.js';
import { Outward, PictureAt } from './message-extras.js';
import { useChannel } from './open-channel.js';
import { SelectChoice } from './select-choice.js';

interface MessagePartsProps {
  parts: Part[];
  messageId: string;
  follow: (interaction: InteractionShownFragment) => void;
}

export function MessageParts({ parts, messageId, follow }: MessagePartsProps) {
  const { id: channelId } = useChannel();
  const { run, isBusy } = useAction(UseComponentDocument);
  if (parts.length === 0) return null;
  const use = async (customId: string, values?: string[]) => {
    // Disabling the button would lose the focus.
    if (isBusy) return;
    const data = await run({ input: { channelId, messageId, customId, ...(values ? { values } : {}) } });
    if (data) follow(data.useComponent.interaction);
  };
  return (
    <div className="parts">
      <PartList parts={parts} use={use} />
    </div>
  );
}

interface PartProps {
  use: (customId: string, values?: string[]) => void;
}

function PartList({ parts, ...props }: PartProps & { parts: Part[] }) {
  return parts.map((part, index) => <OnePart key={index} part={part} {...props} />);
}

function OnePart({ part, ...props }: PartProps & { part: Part }) {
  switch (part.kind) {
    case 'group':
      return (
        <div className={part.isFramed ? 'embed' : 'part-row'}>
          <PartList parts={part.parts} {...props} />
        </div>
      );
    case 'text':
      return <p className="text">{part.text}</p>;
    case 'line':
      return <hr />;
    case 'file':
      return part.isPicture ? <PictureAt {...part} /> : <Outward {...part} />;
    case 'link':
      return <Outward url={part.url} text={part.label} />;
    case 'button':
      return <PartButton part={part} {...props} />;
    case 'select':
      return <PartSelect part={part} {...props} />;
    default:
      return null;
  }
}

/** By the wire format's button style. */
const LOOKS: Record<number, string> = { 1: 'small', 3: 'small', 4: 'small bad' };

function PartButton({ part, use }: PartProps & { part: Extract<Part, { kind: 'button' }> }) {
  return (
    <button
      type="button"
      className={LOOKS[part.style] ?? 'small plain'}
      disabled={part.isOff}
      onClick={() => use(part.customId)}
    >
      {part.label}
    </button>
  );
}

function PartSelect({ part, use }: PartProps & { part: SelectPart }) {
  return <SelectChoice part={part} onChoose={(values) => use(part.customId, values)} />;
}
