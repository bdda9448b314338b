/** Styles beside GraphiQL's own: the page around it, colors with enough contrast, and narrow windows. */
export const STYLE = `
body { display: flex; flex-direction: column; height: 100dvh; overflow: hidden;
  font: 15px/1.4 system-ui, sans-serif; background: light-dark(#fff, #212a3b); color: light-dark(#3b4b68, #b7c2d7); }
:root { color-scheme: light dark; }
body.graphiql-light { color-scheme: light; }
body.graphiql-dark { color-scheme: dark; }
header { padding: .6rem 1rem 0; }
h1 { margin: 0; font-size: 1.1rem; }
header p { margin: .2rem 0 0; }
header a { color: inherit; }
.graphiql-container, .graphiql-dialog { --alpha-secondary: .9 !important; }
.graphiql-container a[href="#"] { text-decoration: underline; }
@media not (prefers-color-scheme: dark) {
  body:not(.graphiql-dark) :is(.graphiql-container, .graphiql-dialog) { --color-info: 208, 100%, 34%;
    --color-warning: 36, 100%, 26%; --color-success: 158, 60%, 28%; --color-secondary: 242, 51%, 45%; }
}
main { flex: 1; min-height: 0; }
main .graphiql-container { width: 100%; height: 100%; }
.graphiql-container .graphiql-logo { display: none; }
.graphiql-container .graphiql-sessions { background: none; border: 1px solid hsla(var(--color-neutral), .2); }
.graphiql-container .graphiql-response { position: relative; overflow: hidden; }
.monaco-editor .line-numbers { color: light-dark(#2b6f86, #aab4c4) !important; }
@media (max-width: 50rem) {
  body { height: auto; overflow: visible; }
  main .graphiql-container { flex-direction: column; height: auto; overflow: visible; }
  .graphiql-container .graphiql-sidebar { flex-direction: row; width: auto; padding: 8px 8px 0; }
  .graphiql-container .graphiql-main { flex-direction: column; }
  .graphiql-container .graphiql-plugin { max-height: 60vh; border: 0; }
  .graphiql-container .graphiql-main > .graphiql-horizontal-drag-bar,
  .graphiql-container #graphiql-session > .graphiql-horizontal-drag-bar { display: none; }
  .graphiql-container .graphiql-sessions { margin: 8px; max-height: none; }
  .graphiql-container #graphiql-session { flex-direction: column; padding: 0 4px 4px; }
  .graphiql-container #graphiql-session > div:first-child { flex: none !important; height: 34rem; }
  .graphiql-container #graphiql-session > div:last-child { flex: none !important; height: 26rem; }
  .graphiql-container .graphiql-editors { height: 100%; }
}
`;
