declare module 'virtual:cities' {
  const lines: string;
  export default lines;
}
