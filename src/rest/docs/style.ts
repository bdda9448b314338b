export const STYLE = `
:root {
  color-scheme: light dark;
  --line: light-dark(#d5dae1, #39424f); --soft: light-dark(#f5f7fa, #1b222c);
  --text: light-dark(#1c2430, #dfe5ec); --page: light-dark(#fff, #12171e); --link: light-dark(#0b5cad, #7db8f5);
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr);
  font: 15px/1.55 system-ui, sans-serif; color: var(--text); background: var(--page); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem;
  border-right: 1px solid var(--line); background: var(--soft); font-size: 13px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav h2 { font-size: 13px; margin: 1rem 0 .25rem; }
nav a { display: block; padding: .1rem 0; color: inherit; text-decoration: none; }
nav a:hover, nav a:focus { color: var(--link); text-decoration: underline; }
nav .title { font-weight: 700; font-size: 15px; }
input { width: 100%; padding: .35rem .5rem; font: inherit; color: inherit;
  border: 1px solid var(--line); border-radius: 4px; background: var(--page); }
#search { margin-top: .75rem; }
#found { min-height: 1.5em; margin: .25rem 0 0; }
#token { max-width: 24rem; }
main { padding: 1rem 2rem 4rem; max-width: 62rem; }
main > h2 { margin-top: 3rem; padding-bottom: .25rem; border-bottom: 2px solid var(--line); }
a { color: var(--link); }
h3 { font-size: 1rem; margin: 0 0 .5rem; }
h3 a { color: inherit; font-weight: 400; }
h4 { margin: 1rem 0 .3rem; font-size: .9rem; }
.operation { padding: 1.25rem 0; border-bottom: 1px solid var(--line); }
.kinds { font-weight: 400; }
.method { display: inline-block; min-width: 3.9em; padding: 0 .35em; border-radius: 3px; color: #fff;
  font: 700 .75em/1.7 ui-monospace, monospace; text-align: center; }
.get { background: #1f6fb2; } .post { background: #2c7a3f; } .put { background: #91610b; } .delete { background: #a8322d; }
code, pre { font-family: ui-monospace, monospace; font-size: .92em; }
code, pre, td:last-child { overflow-wrap: anywhere; }
pre { margin: 0; padding: .75rem 1rem; white-space: pre-wrap;
  border: 1px solid var(--line); border-radius: 4px; background: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: .93em; }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td:first-child { white-space: nowrap; }
em { font-size: .85em; opacity: .8; }
details { margin-top: .5rem; }
summary { cursor: pointer; }
dl { display: grid; grid-template-columns: 3rem 1fr; margin: .5rem 0; }
dd { margin: 0; }
[hidden] { display: none !important; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
  td:first-child { white-space: normal; }
}
@media print { body { display: block; } nav { display: none; } }
`;
