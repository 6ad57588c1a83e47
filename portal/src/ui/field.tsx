import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  /** What may be typed, or what it is for; stands under it. */
  hint?: ReactNode;
  /** What is wrong with what was typed. */
  fault?: string | undefined;
}

/** One line of text. */
export function TextField({ label, hint, fault, ...input }: FieldProps & ComponentProps<'input'>) {
  const ids = useFieldIds(hint, fault);
  return (
    <div className="field">
      <label className="label" htmlFor={ids.input}>
        {label}
      </label>
      <input type="text" {...input} {...ids.attributes} />
      <FieldNotes {...{ ids, hint, fault }} />
    </div>
  );
}

/** Several lines of text. */
export function TextArea({ label, hint, fault, ...input }: FieldProps & ComponentProps<'textarea'>) {
  const ids = useFieldIds(hint, fault);
  return (
    <div className="field">
      <label className="label" htmlFor={ids.input}>
        {label}
      </label>
      <textarea rows={4} {...input} {...ids.attributes} />
      <FieldNotes {...{ ids, hint, fault }} />
    </div>
  );
}

/** One of several. */
export function Select({ label, hint, fault, children, ...select }: FieldProps & ComponentProps<'select'>) {
  const ids = useFieldIds(hint, fault);
  return (
    <div className="field">
      <label className="label" htmlFor={ids.input}>
        {label}
      </label>
      <select {...select} {...ids.attributes}>
        {children}
      </select>
      <FieldNotes {...{ ids, hint, fault }} />
    </div>
  );
}

/** On or off. */
export function Switch({ label, hint, fault, ...input }: FieldProps & ComponentProps<'input'>) {
  const ids = useFieldIds(hint, fault);
  return (
    <div className="switch">
      <input type="checkbox" role="switch" {...input} {...ids.attributes} />
      <div>
        <label htmlFor={ids.input}>{label}</label>
        <FieldNotes {...{ ids, hint, fault }} />
      </div>
    </div>
  );
}

function useFieldIds(hint: ReactNode, fault: string | undefined) {
  const input = useId();
  const describedBy = [fault && `${input}-fault`, hint && `${input}-hint`].filter(Boolean).join(' ');
  const attributes = {
    id: input,
    ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
    ...(fault ? { 'aria-invalid': true } : {}),
  };
  return { input, attributes };
}

function FieldNotes({ ids, hint, fault }: Omit<FieldProps, 'label'> & { ids: { input: string } }) {
  return (
    <>
      {fault && (
        <p className="fault" id={`${ids.input}-fault`}>
          {fault}
        </p>
      )}
      {hint && (
        <p className="soft small" id={`${ids.input}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
}
