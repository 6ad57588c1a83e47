import { useEffect, useId, useState } from 'react';
import { Picture } from './picture.js';

interface ImageFieldProps {
  label: string;
  /** The name whose first letter stands where there is no picture. */
  name: string;
  /** An address of what is saved, a file that was chosen, or null for none. */
  value: string | Blob | null;
  fault?: string | undefined;
  /** With null where the picture is taken away. */
  onChange: (value: Blob | null) => void;
}

/** A picture to choose, shown before it is saved. */
export function ImageField({ label, name, value, fault, onChange }: ImageFieldProps) {
  const id = useId();
  const url = usePreview(value);
  return (
    <div className="field image">
      <span className="label" id={`${id}-label`}>
        {label}
      </span>
      <div className="image-row">
        <Picture url={url} name={name} isBig />
        <input
          type="file"
          accept="image/png,image/jpeg,image/gif,image/webp"
          aria-labelledby={`${id}-label`}
          aria-invalid={fault ? true : undefined}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => target.files?.[0] && onChange(target.files[0])}
        />
        {value !== null && (
          <button type="button" className="plain small" onClick={() => onChange(null)}>
            Remove the {label.toLowerCase()}
          </button>
        )}
      </div>
      {fault && <p className="fault">{fault}</p>}
      <p className="soft small" id={`${id}-hint`}>
        PNG, JPEG, GIF or WebP, at most 10 MiB.
      </p>
    </div>
  );
}

/** The address of a picture; a chosen one is shown from the browser's memory. */
function usePreview(value: string | Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(typeof value === 'string' ? value : null);
  useEffect(() => {
    if (!(value instanceof Blob)) return setUrl(value);
    const made = URL.createObjectURL(value);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [value]);
  return url;
}
