import { useInstance } from '../../../instance.js';
import { isShowable } from '../json.js';
import type { Attachment, Embed } from './wire.js';

export function Embeds({ embeds }: { embeds: Embed[] }) {
  return embeds.map((embed, index) => <EmbedCard key={index} embed={embed} />);
}

function EmbedCard({ embed: { title, url, author, description, fields, image, footer } }: { embed: Embed }) {
  return (
    <div className="embed">
      {author && <p className="small">{author}</p>}
      {title && (
        <p>
          <b>{url ? <Outward url={url} text={title} /> : title}</b>
        </p>
      )}
      {description && <p className="text">{description}</p>}
      {fields.length > 0 && (
        <dl>
          {fields.map(({ name, value }) => (
            <div key={name + value}>
              <dt>{name}</dt>
              <dd className="text">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {image && <PictureAt url={image} text={title ?? 'Image'} />}
      {footer && <p className="soft small">{footer}</p>}
    </div>
  );
}

export function Attachments({ attachments }: { attachments: Attachment[] }) {
  return attachments.map((attachment) =>
    attachment.isSpoiler ? (
      <details key={attachment.id}>
        <summary>Spoiler: {attachment.name}</summary>
        <AttachmentShown attachment={attachment} />
      </details>
    ) : (
      <AttachmentShown key={attachment.id} attachment={attachment} />
    ),
  );
}

function AttachmentShown({ attachment: { url, name, description, isPicture, bytes } }: { attachment: Attachment }) {
  return (
    <p className="attachment">
      {isPicture ? <PictureAt url={url} text={description || name} /> : <Outward url={url} text={name} />}
      {!isPicture && <span className="soft small"> {sizeOf(bytes)}</span>}
    </p>
  );
}

/** The content security policy blocks images of other origins, so they become links. */
export function PictureAt({ url, text }: { url: string; text: string }) {
  const { issuer } = useInstance();
  if (!isShowable(url, issuer)) return <Outward url={url} text={text} />;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <img className="shown" src={url} alt={text} loading="lazy" />
    </a>
  );
}

export function Outward({ url, text }: { url: string; text: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}

/** For example `3.2 MiB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const [size, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'KiB'] : [bytes / 1_048_576, 'MiB'];
  return `${size.toFixed(1)} ${unit}`;
}
