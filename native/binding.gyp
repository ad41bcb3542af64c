{
  "targets": [
    {
      "target_name": "sockets",
      "sources": ["addon.c", "core/sockets.c"],
      "cflags": ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-fvisibility=hidden"],
    }
  ]
}
