import { type DragEvent, type ReactNode, useEffect, useId, useState } from 'react';

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MOST_BYTES = 10 * 1024 * 1024;

interface ImageFieldProps {
  label: string;
  hint: string;
  /** URL of the current image, a newly chosen file, or null for none. */
  value: string | File | null;
  onChange: (image: File | null) => void;
  fault?: string | undefined;
  isWide?: boolean;
  disabled?: boolean;
}

export function ImageField({ label, hint, value, onChange, fault, isWide = false, disabled = false }: ImageFieldProps) {
  const [refused, setRefused] = useState<string>();
  const id = useId();
  const shown = refused ?? fault;
  const take = (file: File | undefined) => {
    if (!file || disabled) return;
    const wrong = faultOf(file);
    setRefused(wrong);
    if (!wrong) onChange(file);
  };
  const clear = () => {
    setRefused(undefined);
    onChange(null);
  };
  return (
    <DropZone onDrop={take}>
      <Preview value={value} isWide={isWide} />
      <div>
        <span className="label" id={`${id}-label`}>
          {label}
        </span>
        <div className="actions">
          <label className={`button plain small${disabled ? ' off' : ''}`}>
            <input
              type="file"
              className="hidden-input"
              accept={TYPES.join(',')}
              aria-labelledby={`${id}-label`}
              aria-describedby={`${id}-fault ${id}-hint`}
              aria-invalid={shown !== undefined}
              disabled={disabled}
              onChange={({ target }) => {
                take(target.files?.[0]);
                target.value = '';
              }}
            />
            Choose a file
          </label>
          {value !== null && !disabled && (
            <button type="button" className="plain small" aria-label={`Clear ${label}`} onClick={clear}>
              Clear
            </button>
          )}
        </div>
        <p className="fault" id={`${id}-fault`}>
          {shown}
        </p>
        <p className="soft small" id={`${id}-hint`}>
          {hint}
        </p>
      </div>
    </DropZone>
  );
}

function faultOf({ type, size }: File): string | undefined {
  if (!TYPES.includes(type)) return 'Choose a PNG, JPEG, GIF or WebP image.';
  if (size > MOST_BYTES) return 'The image must be 10 MiB or smaller.';
  return undefined;
}

function DropZone({ onDrop, children }: { onDrop: (file: File | undefined) => void; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onDrop(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keyboard users choose the file with the input
    <div className="image-field" data-over={isOver} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      {children}
    </div>
  );
}

function Preview({ value, isWide }: Pick<ImageFieldProps, 'value' | 'isWide'>) {
  const url = useAddress(value);
  const look = `image-preview${isWide ? ' wide' : ''}`;
  return url ? <img className={look} src={url} alt="" /> : <span className={`${look} none`} aria-hidden="true" />;
}

/** Object URLs are revoked when the file changes or the preview unmounts. */
function useAddress(value: string | File | null): string | null {
  const [ofFile, setOfFile] = useState<string | null>(null);
  useEffect(() => {
    if (!(value instanceof File)) return;
    const address = URL.createObjectURL(value);
    setOfFile(address);
    return () => {
      setOfFile(null);
      URL.revokeObjectURL(address);
    };
  }, [value]);
  return value instanceof File ? ofFile : value;
}
