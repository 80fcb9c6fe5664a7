/** A search field above a long list. */
type SearchProps = {
  /** Read by screen readers. */
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly search: (text: string) => void;
};

export function Search({ label, placeholder, text, search }: SearchProps) {
  return (
    <label class="search">
      <span class="hidden">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        value={text}
        onInput={(event) => search(event.currentTarget.value)}
      />
    </label>
  );
}
