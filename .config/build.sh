# Builds the server and the console at the same time, into dist/. If one fails, it leaves neither: tests build what is missing.
rm -rf dist && mkdir dist
tsc -p .config/tsconfig.build.json --noCheck && node .config/bundle.js && node .config/copy-graphiql.js &
server=$!
npm run -s build:console
console=$?
wait $server && [ $console -eq 0 ] && exit
rm -rf dist
exit 1
