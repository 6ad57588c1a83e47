/** Decorative: the name is always next to it. */
export function Picture({ url, name, isRound = false, isBig = false }: PictureProps) {
  const look = `picture${isRound ? ' round' : ''}${isBig ? ' big' : ''}`;
  if (url) return <img className={look} src={url} alt="" />;
  return (
    <span className={`${look} letter`} aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  );
}

interface PictureProps {
  url: string | null;
  name: string;
  isRound?: boolean;
  isBig?: boolean;
}
