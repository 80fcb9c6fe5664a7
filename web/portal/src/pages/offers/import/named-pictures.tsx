/** Pictures that rows name in the column `image`, chosen together. */
import { MAX_IMAGE_BYTES } from '@offer-ads/contracts/values/offer-limits';
import { placeLimits } from '@offer-ads/contracts/values/places';
import { useState } from 'preact/hooks';
import { Field } from '../../../../../ui/field.tsx';
import { fileWithin, readSource } from '../new/picture/picture-source.ts';

/** By the names of the files that were chosen. */
export type Pictures = ReadonlyMap<string, File>;

type NamedPicturesProps = { readonly pictures: Pictures; readonly choose: (pictures: Pictures) => void };

export function NamedPictures({ pictures, choose }: NamedPicturesProps) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const read = async (files: readonly File[]) => {
    const most = MAX_IMAGE_BYTES / (files.length + 1);
    const read = await Promise.all(
      files.slice(0, placeLimits.most).map(async (file) => {
        const source = await readSource(file);
        return [file.name, source && (await fileWithin(source, most))] as const;
      }),
    );
    const unread = read.flatMap(([name, file]) => (file === null ? [name] : []));
    const tooMany = `Choose at most ${placeLimits.most} pictures.`;
    const unreadable = `No JPG, PNG or GIF of at most 40 MB: ${unread.join(', ')}`;
    setProblem(files.length > placeLimits.most ? tooMany : unread.length > 0 ? unreadable : undefined);
    choose(new Map(read.flatMap(([name, file]) => (file === null ? [] : [[name, file]]))));
  };
  return (
    <Field
      label="Pictures that rows name"
      hint={
        pictures.size === 0
          ? 'Choose several at once. A row has the file name in its column image.'
          : [...pictures.keys()].join(', ')
      }
      fault={problem}
    >
      {(described) => (
        <input
          {...described}
          type="file"
          accept="image/*"
          multiple
          onChange={({ currentTarget: { files } }) => void read([...(files ?? [])])}
        />
      )}
    </Field>
  );
}

/** Rows that name none have the shared picture; beside others it needs a name of its own. */
const sharedName = 'picture for the other rows';

/** Adds what the rows name, and names the shared picture where others are sent too. */
export function addPictures<Row extends Readonly<Record<string, unknown>>>(
  form: FormData,
  rows: readonly Row[],
  { named, shared }: { readonly named: Pictures; readonly shared: File | null },
): readonly Row[] {
  const used = [...named].filter(([name]) => rows.some(({ image }) => image === name));
  for (const [name, file] of used) form.append('image', file, name);
  if (shared === null) return rows;
  if (used.length === 0) {
    form.set('image', shared);
    return rows;
  }
  const needsShared = ({ image, image_offer_id: offer }: Row) => !image && !offer;
  if (rows.some(needsShared)) form.append('image', shared, sharedName);
  return rows.map((row) => (needsShared(row) ? { ...row, image: sharedName } : row));
}
