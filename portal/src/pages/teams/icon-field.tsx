import { type DragEvent, useEffect, useId, useState } from 'react';
import { Picture } from '../../ui/picture.js';

/** The icon that is there, by its address, or another one that was chosen for it. */
export type Icon = { url: string | null } | File;

const TYPES = 'image/png,image/jpeg,image/gif,image/webp';

interface IconFieldProps {
  icon: Icon;
  /** Of whom it is the icon. */
  name: string;
  fault: string | undefined;
  onChange: (icon: Icon) => void;
}

/** A picture to choose or to drop, shown before anything is sent. */
export function IconField({ icon, name, fault, onChange }: IconFieldProps) {
  const id = useId();
  const url = useAddress(icon);
  const take = (files: FileList | null) => files?.[0] && onChange(files[0]);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    take(event.dataTransfer.files);
  };
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        Icon
      </label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: whoever has no pointer uses the field in it. */}
      <div className="icon-field" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <Picture key={url} url={url} name={name === '' ? '?' : name} isBig />
        <div>
          <input
            key={icon instanceof File ? 'chosen' : url}
            id={id}
            type="file"
            accept={TYPES}
            aria-describedby={`${id}-hint`}
            aria-invalid={fault ? true : undefined}
            onChange={({ target }) => take(target.files)}
          />
          {url && (
            <button type="button" className="link" onClick={() => onChange({ url: null })}>
              Remove the icon
            </button>
          )}
        </div>
      </div>
      <div id={`${id}-hint`}>
        {fault && <p className="fault">{fault}</p>}
        <p className="soft small">PNG, JPEG, GIF or WebP, at most 10 MiB. Choose it, or drop it here.</p>
      </div>
    </div>
  );
}

/** Where the browser finds the picture: for a file an address that is valid as long as it is shown. */
function useAddress(icon: Icon): string | null {
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => {
    if (!(icon instanceof File)) return setChosen(null);
    const address = URL.createObjectURL(icon);
    setChosen(address);
    return () => URL.revokeObjectURL(address);
  }, [icon]);
  return icon instanceof File ? chosen : icon.url;
}
