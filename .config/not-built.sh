# Says what to do where the program is not built, and ends with 78, the exit code of wrong settings.
echo 'terminal-gateway is not built: dist/boot.js is missing, and building needs the development packages. Run: npm ci --include=dev' >&2
exit 78
